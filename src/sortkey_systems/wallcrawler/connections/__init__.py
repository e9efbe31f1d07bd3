"""How clients reach the browser of a session: over CDP, by http discovery, and over WebDriver.

gate.py         who may connect to which session
relay.py        messages between a WebSocket and a browser, both ways
discovery.py    /json/version and /json/list
routes.py       the routes of CDP and of discovery
webdriver/      Selenium, through chromedriver
"""
