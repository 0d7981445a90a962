"""The live page: a trained model as one HTML file that runs in the browser."""
