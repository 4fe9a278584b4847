"""Data of studies: files in the user's folder, public matrices, judged data, and stand-ins."""
