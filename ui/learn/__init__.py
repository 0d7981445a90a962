"""The pages of the section Learn."""
