package script

import "math"

func expC(x float64) float64    { return math.Exp(x) }
func logC(x float64) float64    { return math.Log(x) }
func powC(x, y float64) float64 { return math.Pow(x, y) }
