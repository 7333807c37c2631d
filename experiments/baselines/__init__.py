"""The methods that the paper compares with, written plainly on numpy tables; each is exact."""
