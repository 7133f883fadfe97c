"""What people see, frozen: commands and results, with what each printed and wrote.

python -m tests.goldens [--write] [--exact] [ROOM ...]
"""
