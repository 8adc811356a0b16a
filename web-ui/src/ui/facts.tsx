import type { ReactNode } from 'react'

/** List of names and values. `row`, `value`: CSS classes. */
export function Facts({
  rows,
  row,
  value,
  className = '',
}: {
  rows: readonly (readonly [name: string, value: ReactNode])[]
  row: string
  value: string
  className?: string
}) {
  return (
    <dl className={`grid gap-2 ${className}`}>
      {rows.map(([name, text]) => (
        <div key={name} className={row}>
          <dt className="text-soft">{name}</dt>
          <dd className={value}>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
