import os
print(os.name)
import sys
