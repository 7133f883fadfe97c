"""`howsure counts`."""
