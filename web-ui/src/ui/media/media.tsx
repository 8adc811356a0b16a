import { type CSSProperties, type ReactNode, useState } from 'react'
import { useSettings } from '../../api/settings.tsx'
import { media as words } from '../../strings/pages.ts'
import { ClockIcon } from '../icons.tsx'

export const BOX = 'relative aspect-square w-full overflow-hidden bg-raised'

export const typeOf = (contentType: string) => contentType.split(';')[0]!.trim().toLowerCase()

/** Images up to this width, in pixels, are rendered as pixel art. */
const MAX_PIXELS = 64

/** Thumbnail of an inscription. Scripts never run. */
export function Media({
  id,
  contentType,
  name,
  hint,
  background,
  size = 96,
  placeholder,
  children,
}: {
  id: string
  contentType: string | null
  name: string
  hint?: 'auto' | 'pixelated' | null
  background?: string | null
  size?: 96 | 384 | 1024
  /** Tiny picture shown until the thumbnail is loaded. */
  placeholder?: string | null | undefined
  children?: ReactNode
}) {
  const { market } = useSettings()
  const [failed, setFailed] = useState(false)
  const style = {
    backgroundColor: background ?? '',
    backgroundImage: placeholder ? `url(${placeholder})` : '',
  }
  if (!contentType) return <NotIndexed style={style} />
  const type = typeOf(contentType)
  const isOriginal = !failed && !market?.hasThumbnails && type.startsWith('image/')
  return (
    <div className={`${BOX} bg-cover`} style={style}>
      {market && (
        <Picture
          url={`${market.contentUrl}/${isOriginal ? `content/${id}` : `preview/${id}/${size}`}`}
          name={name}
          hint={type === 'image/svg+xml' ? 'auto' : hint}
          onFailed={() => setFailed(true)}
        />
      )}
      {children}
    </div>
  )
}

export const NotIndexed = ({ style }: { style?: CSSProperties }) => (
  <div
    className={`${BOX} @container grid place-content-center justify-items-center gap-1 text-center text-caption text-soft`}
    style={style}
  >
    <ClockIcon className="text-lg" />
    {/* Too small for visible text. */}
    <span className="px-2 @max-[96px]:sr-only">{words.notIndexed}</span>
  </div>
)

/** Image that fits its box. Small images are rendered as pixel art. */
export function Picture({
  url,
  name,
  hint,
  eager = false,
  onFailed,
}: {
  url: string
  name: string
  hint?: 'auto' | 'pixelated' | null | undefined
  eager?: boolean
  onFailed: () => void
}) {
  const [isTiny, setTiny] = useState(false)
  return (
    <img
      src={url}
      alt={name}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      onError={onFailed}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        setTiny(Math.max(naturalWidth, naturalHeight) <= MAX_PIXELS)
      }
      className={`size-full object-contain ${hint === 'pixelated' || (hint !== 'auto' && isTiny) ? 'pixelated' : ''}`}
    />
  )
}
