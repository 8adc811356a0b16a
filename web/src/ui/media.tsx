import { useState } from 'react'
import { useSettings } from '../settings.tsx'
import { media as words } from '../words/pages.ts'
import { ClockIcon, WarningIcon } from './icons.tsx'

/** Pictures up to so wide are pixel art. */
const MOST_PIXELS = 64

interface Shown {
  url: string
  name: string
  /** On a page of its own: with controls, and loaded at once. */
  eager: boolean
  onFailed: () => void
}

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
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  const url = `${market?.contentUrl ?? ''}/content/${id}`
  const style = background ? { backgroundColor: background } : undefined
  const box = 'aspect-square w-full overflow-hidden bg-raised'
  if (failed || !contentType)
    return (
      <div
        className={`${box} @container grid place-content-center justify-items-center gap-1 text-center text-caption text-soft`}
        style={style}
      >
        {contentType ? <WarningIcon className="text-lg" /> : <ClockIcon className="text-lg" />}
        {/* A thumbnail has no room for words to see. */}
        <span className="px-2 @max-[96px]:sr-only">{contentType ? words.failed : words.notIndexed}</span>
      </div>
    )
  const shown: Shown = { url, name, eager, onFailed: () => setFailed(true) }
  return (
    <div
      className={`${box} relative ${type.startsWith('audio/') ? 'grid place-items-center' : ''}`}
      style={style}
    >
      <Content {...shown} type={type} hint={hint ?? null} />
    </div>
  )
}

function Content({ type, hint, ...shown }: Shown & { type: string; hint: 'auto' | 'pixelated' | null }) {
  const { url, name, eager } = shown
  // In a list an SVG is a picture too, in which nothing runs and which loads nothing.
  if (type.startsWith('image/') && (type !== 'image/svg+xml' || !eager))
    return <Picture {...shown} hint={type === 'image/svg+xml' ? 'auto' : hint} />
  if (type.startsWith('video/'))
    return (
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
    )
  if (type.startsWith('audio/'))
    return (
      <audio src={url} controls aria-label={name}>
        <track kind="captions" />
      </audio>
    )
  return <Frame {...shown} />
}

function Picture({ url, name, eager, onFailed, hint }: Shown & { hint: 'auto' | 'pixelated' | null }) {
  const [isTiny, setTiny] = useState(false)
  return (
    <img
      src={url}
      alt={name}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      onError={onFailed}
      // Pixel art is shown as pixels, also where no hint says so.
      onLoad={(event) => setTiny(event.currentTarget.naturalWidth <= MOST_PIXELS)}
      className={`size-full object-contain ${hint === 'pixelated' || (hint !== 'auto' && isTiny) ? 'pixelated' : ''}`}
    />
  )
}

function Frame({ url, name, eager }: Shown) {
  return (
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
  )
}
