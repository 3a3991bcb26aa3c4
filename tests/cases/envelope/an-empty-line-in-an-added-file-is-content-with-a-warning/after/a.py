import os

import sys
