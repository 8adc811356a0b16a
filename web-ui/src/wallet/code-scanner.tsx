import { useEffect, useRef, useState } from 'react'

const LOOK_MILLISECONDS = 80

/** Collects the QR codes of a series, in any order. */
export interface CodeReader {
  readonly seen: number
  readonly count: number
  /** Adds a code. Returns false if it belongs to another kind of series. */
  take(code: string): boolean
  /** The decoded text; null while codes are missing. Rejects with a message for the visitor if the data is damaged. */
  text(): Promise<string | null>
}

/** Scans a series of QR codes with the camera. */
export function CodeScanner({
  startReader,
  other,
  instead,
  onDone,
}: {
  startReader(): CodeReader
  /** Message for a code of another kind. */
  other: string
  /** What to do without a camera; completes a sentence. */
  instead: string
  onDone(text: string): void
}) {
  const video = useRef<HTMLVideoElement>(null)
  const [said, setSaid] = useState('Waiting for the camera…')
  const now = useRef({ startReader, other, instead, onDone })
  now.current = { startReader, other, instead, onDone }
  useEffect(() => {
    const stop = new AbortController()
    const { startReader, other, instead } = now.current
    scan(video.current!, startReader(), { signal: stop.signal, say: setSaid, other })
      .then((text) => text !== null && now.current.onDone(text))
      .catch((error: Error) => setSaid(troubleOf(error, instead)))
    return () => stop.abort()
  }, [])
  return (
    <div className="grid justify-items-center gap-2">
      <video
        ref={video}
        aria-label="The camera’s picture"
        muted
        playsInline
        className="w-96 max-w-full rounded-lg bg-raised"
      />
      <p role="status" className="text-sm text-soft">
        {said}
      </p>
    </div>
  )
}

const TROUBLES: Record<string, string> = {
  NotAllowedError: 'The camera is not allowed for this page: allow it in the browser, or',
  NotFoundError: 'No camera found:',
  NotReadableError: 'Another program uses the camera: close it, or',
  NotSecureError: 'The camera works over https alone:',
}

const troubleOf = ({ name, message }: Error, instead: string) =>
  TROUBLES[name] ? `${TROUBLES[name]} ${instead}.` : message

/** Returns null if aborted. Throws if there is no camera, and any error of the reader. */
async function scan(
  video: HTMLVideoElement,
  reader: CodeReader,
  { signal, say, other }: { signal: AbortSignal; say(text: string): void; other: string },
): Promise<string | null> {
  if (!navigator.mediaDevices) throw Object.assign(new Error(), { name: 'NotSecureError' })
  const { decodeQR } = await import('qr/decode.js')
  const camera = await navigator.mediaDevices.getUserMedia({
    video: { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 960 } },
  })
  try {
    video.srcObject = camera
    await video.play()
    say('Hold the codes of the wallet before the camera.')
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!
    for (; !signal.aborted; await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS))) {
      const code = codeIn(video, canvas, decodeQR)
      if (code === null) continue
      if (!reader.take(code)) say(other)
      else {
        say(`${reader.seen} of ${reader.count} codes`)
        const text = await reader.text()
        if (text !== null) return text
      }
    }
    return null
  } finally {
    for (const track of camera.getTracks()) track.stop()
  }
}

/** Decodes the QR code in the current video frame; null if there is none. */
function codeIn(
  video: HTMLVideoElement,
  canvas: OffscreenCanvasRenderingContext2D,
  decodeQR: typeof import('qr/decode.js').decodeQR,
): string | null {
  const { videoWidth: width, videoHeight: height } = video
  if (width === 0) return null
  Object.assign(canvas.canvas, { width, height })
  canvas.drawImage(video, 0, 0)
  try {
    return decodeQR(canvas.getImageData(0, 0, width, height))
  } catch {
    return null
  }
}
