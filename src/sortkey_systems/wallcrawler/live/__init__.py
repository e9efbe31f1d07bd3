"""The live view: a page that shows a running browser, and drives it where its token says so."""
