import os
import re
x = 1
