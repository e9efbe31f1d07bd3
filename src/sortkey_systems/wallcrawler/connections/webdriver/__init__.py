"""WebDriver for sessions: Selenium drives a chromedriver of ours, which drives the browser.

capabilities.py    what a client may ask for when it begins
listener.py        the private port at which chromedriver finds the browser
driver.py          the chromedriver of one session
drivers.py         those of all sessions
routes.py          /webdriver
"""
