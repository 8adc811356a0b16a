import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { Verification } from '@ordbook/web-ui/ui/verified.tsx'
import { matched, type Row } from './rows.ts'
import { palette as words } from './strings.ts'

interface LineProps {
  id: string
  row: Row
  text: string
  isActive: boolean
  onPoint: () => void
  onOpen: () => void
}

export function Line({ id, row, text, isActive, onPoint, onOpen }: LineProps) {
  const { target, picture, name, beside, below, sats, verification } = row
  return (
    <Link
      {...(target as { to: '/' })}
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      onClick={onOpen}
      onPointerMove={() => isActive || onPoint()}
      className="flex min-h-12 items-center gap-3 rounded-button px-3 py-1.5 aria-selected:bg-raised"
    >
      {picture && (
        <span aria-hidden="true" className="w-9 shrink-0 overflow-hidden rounded-control">
          <Media {...picture} name="" />
        </span>
      )}
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5">
          <span dir="auto" className="truncate">
            <Name name={name} text={text} />
          </span>
          {beside && (
            <span dir="auto" className="truncate text-soft">
              {beside}
            </span>
          )}
          {verification && <Verification {...verification} />}
        </span>
        {below && <span className="block truncate text-caption text-soft">{below}</span>}
      </span>
      {sats !== undefined &&
        (sats === null ? (
          <span className="shrink-0 text-small text-soft">{words.notListed}</span>
        ) : (
          <Price sats={sats} className="shrink-0 font-semibold" />
        ))}
    </Link>
  )
}

function Name({ name, text }: { name: string; text: string }) {
  const parts = matched(name, text)
  if (!parts) return name
  return (
    <>
      {parts[0]}
      <strong className="font-bold">{parts[1]}</strong>
      {parts[2]}
    </>
  )
}
