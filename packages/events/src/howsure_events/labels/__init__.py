"""Labels: random draws of documents, the answers of human coders, and the labels settled from them."""
