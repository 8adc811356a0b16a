/** Line chart without axes, hidden from screen readers. Null values are gaps. */
export function Sparkline({
  values,
  className = '',
}: {
  values: readonly (number | null)[]
  className?: string
}) {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return null
  const least = Math.min(...known)
  const span = Math.max(...known) - least || 1
  const x = (n: number) => ((n / (values.length - 1)) * 100).toFixed(1)
  const path = values.flatMap((value, n) => {
    if (value === null) return []
    const y = (22 - ((value - least) / span) * 20).toFixed(1)
    return `${n === 0 || values[n - 1] === null ? 'M' : 'L'}${x(n)},${y}`
  })
  const isUp = known.at(-1)! >= known[0]!
  return (
    <svg
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      aria-hidden="true"
      className={`h-6 w-20 ${isUp ? 'stroke-up' : 'stroke-down'} ${className}`}
    >
      <path d={path.join('')} fill="none" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
