import os
import sys

