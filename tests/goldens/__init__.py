"""What people see, frozen: commands, results and refusals, with what each printed and wrote.

python -m tests.goldens [--write] [--exact] [ROOM ...]
"""
