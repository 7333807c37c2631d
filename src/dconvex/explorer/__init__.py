"""The page of `dconvex explore`: a network and its cluster tree, questions by clicking, answers at once.

`Explorer` turns requests into answers, plain data both, and knows nothing of HTTP; `application` is the thin shell around it,
the only module that imports starlette; `serving` opens the port and the browser. Nothing is kept between requests: each one
carries the whole question.
"""
