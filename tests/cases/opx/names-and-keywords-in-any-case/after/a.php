<?php
g();
f();
