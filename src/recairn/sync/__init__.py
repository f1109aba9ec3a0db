"""What travels between databases: records, exports, merging, and mirror folders."""
