"""How the weights of a conditional random field are learned."""
