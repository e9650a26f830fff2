"""Everything that knows Streamlit: the session, our components, the controls. Pages call these and nothing deeper."""
