"""The interface without a browser: desks, messages to our components, and the page through Streamlit's AppTest."""
