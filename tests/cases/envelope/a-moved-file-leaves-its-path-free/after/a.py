from b import *
