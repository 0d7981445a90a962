"""The Attention page: the wall of heads, the open head, the joint view."""
