import os\nimport sys\nx = 1\n
