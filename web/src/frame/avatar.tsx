/** Picture of an address: two colours that depend on it. */
export function Avatar({ address }: { address: string }) {
  let hash = 0
  for (const letter of address) hash = (hash * 31 + letter.charCodeAt(0)) % 360
  const colour = (hue: number) => `hsl(${hue % 360} 65% 55%)`
  return (
    <span
      aria-hidden="true"
      className="size-6 shrink-0 rounded-control"
      style={{ backgroundImage: `linear-gradient(${hash}deg, ${colour(hash)}, ${colour(hash + 110)})` }}
    />
  )
}
