import { type CSSProperties, type ReactNode, useState } from 'react'
import { useSettings } from '../../api/settings.tsx'
import { media as words } from '../../strings/pages.ts'
import { ClockIcon } from '../icons.tsx'

/** The classes of the square that holds content. */
export const BOX = 'relative aspect-square w-full overflow-hidden bg-raised'

/** The media type of content without its parameters. */
export const typeOf = (contentType: string) => contentType.split(';')[0]!.trim().toLowerCase()

/** Pictures up to so wide are pixel art. */
const MOST_PIXELS = 64

/**
 * The content of an inscription in a list: always a picture, in which nothing runs. The market renders a still of it. A market that
 * renders none shows pictures as they were inscribed, and a drawing of the kind for all other content.
 */
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
  /** Of the still, in pixels. */
  size?: 96 | 384 | 1024
  /** A picture of a few pixels, shown until the still is loaded. */
  placeholder?: string | null | undefined
  /** Over the still. */
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
  const isOriginal = !failed && !market?.hasStills && type.startsWith('image/')
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

/** In the place of content that the index does not have yet. */
export const NotIndexed = ({ style }: { style?: CSSProperties }) => (
  <div
    className={`${BOX} @container grid place-content-center justify-items-center gap-1 text-center text-caption text-soft`}
    style={style}
  >
    <ClockIcon className="text-lg" />
    {/* A thumbnail has no room for words to see. */}
    <span className="px-2 @max-[96px]:sr-only">{words.notIndexed}</span>
  </div>
)

/** A picture that fits its box. Pixel art is shown as pixels, also where no hint says so. */
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
        setTiny(Math.max(naturalWidth, naturalHeight) <= MOST_PIXELS)
      }
      className={`size-full object-contain ${hint === 'pixelated' || (hint !== 'auto' && isTiny) ? 'pixelated' : ''}`}
    />
  )
}
