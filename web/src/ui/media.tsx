import { useState } from 'react'
import { useSettings } from '../settings.tsx'

/** Pictures up to so wide are pixel art. */
const MOST_PIXELS = 64

/**
 * The content of an inscription. It is hostile: a picture is shown as a picture, in which nothing runs; everything else in
 * a sandboxed frame without an origin, which can reach nothing of this page.
 */
export function Media({
  id,
  contentType,
  name,
  hint,
  eager = false,
  background,
}: {
  id: string
  contentType: string | null
  name: string
  hint?: 'auto' | 'pixelated' | null
  eager?: boolean
  background?: string | null
}) {
  const { market } = useSettings()
  const [failed, setFailed] = useState(false)
  const [isTiny, setTiny] = useState(false)
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  const url = `${market?.contentUrl ?? ''}/content/${id}`
  const style = background ? { backgroundColor: background } : undefined
  const box = 'aspect-square w-full overflow-hidden bg-sunk'
  if (failed || !contentType)
    return (
      <div className={`${box} grid place-items-center p-2 text-center text-xs text-soft`} style={style}>
        {contentType ? 'cannot be shown here' : 'no content'}
      </div>
    )
  if (type.startsWith('image/') && type !== 'image/svg+xml')
    return (
      <div className={box} style={style}>
        <img
          src={url}
          alt={name}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          onError={() => setFailed(true)}
          // Pixel art is meant to be seen as pixels, said or not.
          onLoad={(event) => setTiny(event.currentTarget.naturalWidth <= MOST_PIXELS)}
          className={`size-full object-contain ${hint === 'pixelated' || (hint !== 'auto' && isTiny) ? 'pixelated' : ''}`}
        />
      </div>
    )
  if (type.startsWith('video/'))
    return (
      <div className={box} style={style}>
        <video
          src={url}
          muted
          loop
          playsInline
          controls={eager}
          aria-label={name}
          className="size-full object-contain"
        >
          <track kind="captions" />
        </video>
      </div>
    )
  if (type.startsWith('audio/'))
    return (
      <div className={`${box} grid place-items-center`} style={style}>
        <audio src={url} controls aria-label={name}>
          <track kind="captions" />
        </audio>
      </div>
    )
  // SVG as a picture runs nothing either; whatever it would load it does not get.
  if (type === 'image/svg+xml' && !eager)
    return (
      <div className={box} style={style}>
        <img
          src={url}
          alt={name}
          loading="lazy"
          onError={() => setFailed(true)}
          className="size-full object-contain"
        />
      </div>
    )
  return (
    <div className={`${box} relative`} style={style}>
      <iframe
        src={url}
        // Pages expect white behind them; a plain text, which turns white in the dark, must not.
        title={name || 'Inscription'}
        sandbox="allow-scripts"
        loading={eager ? 'eager' : 'lazy'}
        referrerPolicy="no-referrer"
        tabIndex={eager ? 0 : -1}
        className={`size-full border-0 bg-white scheme-light ${eager ? '' : 'pointer-events-none'}`}
      />
    </div>
  )
}
