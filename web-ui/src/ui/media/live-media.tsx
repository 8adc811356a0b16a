import { useState } from 'react'
import { useSettings } from '../../api/settings.tsx'
import { BOX, NotIndexed, Picture, typeOf } from './media.tsx'

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

/** Shows untrusted content. Everything except video and audio runs in a sandboxed frame. */
export function LiveContent({ id, contentType, name, controls }: Shown & { controls: boolean }) {
  const { market } = useSettings()
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
  return (
    <iframe
      src={url}
      // Inscribed pages expect a white background. `scheme-light` keeps plain text black, which dark mode would turn white.
      title={name || 'Inscription'}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      tabIndex={controls ? 0 : -1}
      className={`size-full border-0 bg-white scheme-light ${controls ? '' : 'pointer-events-none'}`}
    />
  )
}
