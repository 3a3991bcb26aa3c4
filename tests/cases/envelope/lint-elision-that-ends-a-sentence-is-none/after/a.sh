# The upper layers stay
# unchanged.
run
