import os

