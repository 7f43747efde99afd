class Explanation: pass
def explain(g): pass
