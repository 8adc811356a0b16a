import { type ReactNode, useEffect, useState } from 'react'
import { useSettings } from '../../api/settings.tsx'
import { media as words } from '../../strings/pages.ts'
import { Button } from '../basics.tsx'
import { WarningIcon } from '../icons.tsx'
import { BOX, Media, NotIndexed, Picture, typeOf } from './media.tsx'

interface Shown {
  id: string
  contentType: string
  name: string
}

/** Content of an inscription as inscribed. */
export function LiveMedia({
  hint,
  contentType,
  ...shown
}: Omit<Shown, 'contentType'> & { contentType: string | null; hint: 'auto' | 'pixelated' | null }) {
  const { market } = useSettings()
  const [failed, setFailed] = useState(false)
  if (!contentType) return <NotIndexed />
  const type = typeOf(contentType)
  const isPicture = type.startsWith('image/') && type !== 'image/svg+xml'
  if (isInFrame(type))
    // The thumbnail is visible until the content is.
    return (
      <Media id={shown.id} contentType={contentType} name="" size={1024}>
        <span className="absolute inset-0">
          <LiveContent {...shown} contentType={contentType} controls />
        </span>
      </Media>
    )
  return (
    <div className={`${BOX} ${type.startsWith('audio/') ? 'grid place-items-center' : ''}`}>
      {isPicture ? (
        <Picture
          url={`${market?.contentUrl ?? ''}/${failed ? `preview/${shown.id}/384` : `content/${shown.id}`}`}
          name={shown.name}
          hint={hint}
          eager
          onFailed={() => setFailed(true)}
        />
      ) : (
        <LiveContent {...shown} contentType={contentType} controls />
      )}
    </div>
  )
}

const isInFrame = (type: string) => type === 'image/svg+xml' || !/^(image|video|audio)\//.test(type)

/** Types that browsers show in a frame. They download other types, which a sandboxed frame blocks. */
const FRAMED = /^(text\/|image\/svg\+xml$|application\/(json|xml|xhtml\+xml|(x-)?javascript|(x-)?yaml)$)/

/** Shows untrusted content. Everything except video and audio runs in a sandboxed frame. */
export function LiveContent({ id, contentType, name, controls }: Shown & { controls: boolean }) {
  const { market } = useSettings()
  const [attempt, setAttempt] = useState(0)
  const type = typeOf(contentType)
  const url = `${market?.contentUrl ?? ''}/content/${id}`
  if (type.startsWith('video/'))
    return (
      <video
        src={url}
        muted
        loop
        playsInline
        autoPlay={!controls}
        controls={controls}
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
  if (FRAMED.test(type))
    return (
      <Frame
        key={attempt}
        url={url}
        name={name}
        controls={controls}
        again={() => setAttempt((before) => before + 1)}
      />
    )
  if (!controls) return null
  return (
    <Notice text={words.unshown(type)}>
      <a href={url} target="_blank" rel="noreferrer" className="text-accent underline">
        {words.open}
      </a>
    </Notice>
  )
}

/** After this time, content that is not loaded is reported. It is shown if it loads later. */
const MAX_WAIT_MILLISECONDS = 10_000

/**
 * Sandboxed frame, invisible until its content is loaded. A frame shows a failed request as a blank page with a load event, so the content
 * is requested before.
 */
function Frame({
  url,
  name,
  controls,
  again,
}: {
  url: string
  name: string
  controls: boolean
  again: () => void
}) {
  const [isFound, setFound] = useState(false)
  const [isLoaded, setLoaded] = useState(false)
  const [isSilent, setSilent] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    const timer = setTimeout(() => setSilent(true), MAX_WAIT_MILLISECONDS)
    fetch(url, { method: 'HEAD', mode: 'no-cors', signal: stop.signal }).then(
      ({ ok, type }) => (ok || type === 'opaque' ? setFound(true) : setSilent(true)),
      () => stop.signal.aborted || setSilent(true),
    )
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [url])
  return (
    <>
      {isFound && (
        <iframe
          src={url}
          onLoad={() => setLoaded(true)}
          // Inscribed pages expect a white background. `scheme-light` keeps plain text black, which dark mode would turn white.
          title={name || 'Inscription'}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          tabIndex={controls ? 0 : -1}
          className={`size-full border-0 bg-white scheme-light ${isLoaded ? '' : 'opacity-0'} ${controls ? '' : 'pointer-events-none'}`}
        />
      )}
      {isSilent && !isLoaded && controls && (
        <Notice text={words.silent}>
          <Button onClick={again}>{words.again}</Button>
        </Notice>
      )}
    </>
  )
}

/** Notice over the thumbnail. */
const Notice = ({ text, children }: { text: string; children: ReactNode }) => (
  <div
    role="status"
    className="absolute inset-0 grid place-content-center justify-items-center gap-3 bg-raised p-4 text-center"
  >
    <WarningIcon className="text-2xl text-soft" />
    <p>{text}</p>
    {children}
  </div>
)
