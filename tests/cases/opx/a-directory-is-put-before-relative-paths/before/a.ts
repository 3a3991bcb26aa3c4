top();
