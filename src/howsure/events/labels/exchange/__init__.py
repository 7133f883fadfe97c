"""Labels in files: our own CSV, and the exports of Label Studio, doccano and Prodigy."""
