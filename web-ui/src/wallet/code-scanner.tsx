import { useEffect, useRef, useState } from 'react'

const SCAN_INTERVAL_MS = 80

export interface CodeReader {
  readonly seen: number
  readonly count: number
  /** Adds a code. Returns false if it does not belong to the series. */
  take(code: string): boolean
  /** Returns null until all codes are scanned. Rejects if the data is damaged. */
  text(): Promise<string | null>
}

export function CodeScanner({
  startReader,
  other,
  instead,
  onDone,
}: {
  startReader(): CodeReader
  other: string
  /** Alternative to the camera; completes a sentence. */
  instead: string
  onDone(text: string): void
}) {
  const video = useRef<HTMLVideoElement>(null)
  const [status, setStatus] = useState('Waiting for the camera…')
  const now = useRef({ startReader, other, instead, onDone })
  now.current = { startReader, other, instead, onDone }
  useEffect(() => {
    const stop = new AbortController()
    const { startReader, other, instead } = now.current
    scan(video.current!, startReader(), { signal: stop.signal, say: setStatus, other })
      .then((text) => text !== null && now.current.onDone(text))
      .catch((error: Error) => setStatus(messageOf(error, instead)))
    return () => stop.abort()
  }, [])
  return (
    <div className="grid justify-items-center gap-2">
      <video
        ref={video}
        aria-label="Camera"
        muted
        playsInline
        className="w-96 max-w-full rounded-lg bg-raised"
      />
      <p role="status" className="text-sm text-soft">
        {status}
      </p>
    </div>
  )
}

const MESSAGES: Record<string, string> = {
  NotAllowedError: 'This page may not use the camera. Allow it in the browser, or',
  NotFoundError: 'No camera found:',
  NotReadableError: 'Another program is using the camera. Close it, or',
  NotSecureError: 'The camera works only over https:',
}

const messageOf = ({ name, message }: Error, instead: string) =>
  MESSAGES[name] ? `${MESSAGES[name]} ${instead}.` : message

/** Returns null if aborted. Throws without a camera. */
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
    say('Hold the QR codes of the wallet in front of the camera.')
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!
    for (; !signal.aborted; await new Promise((resolve) => setTimeout(resolve, SCAN_INTERVAL_MS))) {
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

/** Decodes the QR code in the current video frame, if any. */
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
