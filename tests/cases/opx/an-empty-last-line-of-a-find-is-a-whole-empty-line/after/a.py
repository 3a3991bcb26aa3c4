import os
import re
import sys

x = 1
