"""The page of `dconvex explore`: a network and its cluster tree, questions by clicking, answers at once.

`Explorer` turns requests into answers, both plain data, and knows nothing of HTTP; `translation` has what differs between
discrete and Gaussian models. `application` is the HTTP shell around it; only it and its `guard` import starlette; `serving`
opens the port and the browser. Nothing is kept between requests: each one contains the whole question.
"""
