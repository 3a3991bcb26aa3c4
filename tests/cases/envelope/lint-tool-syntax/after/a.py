x = 2
</content>
</invoke>
