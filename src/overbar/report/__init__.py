"""What came of experiments, for people and programs: tables, figures, files, the report."""
