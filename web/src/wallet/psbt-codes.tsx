import { BbqrReader, bbqrOf } from '@ordbook/bitcoin/bbqr.ts'
import { base64OfBytes } from '@ordbook/bitcoin/bytes.ts'
import { UrReader, urOf } from '@ordbook/bitcoin/ur.ts'
import { encodeQR } from 'qr'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Select } from '../ui/basics.tsx'

/** The capacity of a code of 57 squares a side (version 10, low), which the camera of a hardware wallet still reads from a screen. */
const CHARACTERS = 392
/** Slow enough for a camera, and to flash less than three times a second (WCAG 2.3.1). */
const CODE_MILLISECONDS = 400
const LOOK_MILLISECONDS = 80

const FORMATS = {
  bbqr: { write: bbqrOf, words: 'BBQr: Sparrow, Coldcard Q' },
  ur: { write: urOf, words: 'UR: Keystone, Jade, SeedSigner, Passport, Specter' },
}
type Format = keyof typeof FORMATS
const CHOICES = (Object.keys(FORMATS) as Format[]).map((each) => [each, FORMATS[each].words] as const)

/** A PSBT as QR codes, one after the other, over and over. */
export function PsbtCodes({ psbt }: { psbt: Uint8Array }) {
  const [format, setFormat] = useState<Format>('bbqr')
  const codes = useMemo(
    () =>
      FORMATS[format]
        .write(psbt, CHARACTERS)
        .map(
          (code) =>
            `data:image/svg+xml;utf8,${encodeURIComponent(encodeQR(code, 'svg', { ecc: 'low', encoding: 'alphanumeric', border: 4 }))}`,
        ),
    [psbt, format],
  )
  const [at, setAt] = useState(0)
  useEffect(() => {
    if (codes.length === 1) return
    const turn = setInterval(() => setAt((now) => (now + 1) % codes.length), CODE_MILLISECONDS)
    return () => clearInterval(turn)
  }, [codes])
  const n = at % codes.length
  return (
    <figure className="grid justify-items-center gap-2">
      <img
        className="w-96 max-w-full rounded-lg bg-white"
        alt={`QR code ${n + 1} of ${codes.length} of the PSBT`}
        src={codes[n]}
      />
      <figcaption className="text-sm text-soft">
        <label>
          {codes.length === 1 ? 'A single code' : `${codes.length} codes`}, as{' '}
          <Select inline options={CHOICES} value={format} onChange={setFormat} />
        </label>
      </figcaption>
    </figure>
  )
}

/** Reads the signed PSBT from the camera: as BBQr or UR, or as base64 in a single code. */
export function PsbtScanner({ onDone }: { onDone(psbtBase64: string): void }) {
  const video = useRef<HTMLVideoElement>(null)
  const [said, setSaid] = useState('Waiting for the camera…')
  useEffect(() => {
    const stop = new AbortController()
    scan(video.current!, stop.signal, setSaid)
      .then((psbt) => psbt !== null && onDone(psbt))
      .catch((error: Error) => setSaid(TROUBLES[error.name] ?? error.message))
    return () => stop.abort()
  }, [onDone])
  return (
    <div className="grid justify-items-center gap-2">
      <video
        ref={video}
        aria-label="The camera’s picture"
        muted
        playsInline
        className="w-96 max-w-full rounded-lg bg-sunk"
      />
      <p role="status" className="text-sm text-soft">
        {said}
      </p>
    </div>
  )
}

const TROUBLES: Record<string, string> = {
  NotAllowedError:
    'The camera is not allowed for this page: allow it in the browser, or bring the signed file.',
  NotFoundError: 'There is no camera here: bring the signed file.',
  NotReadableError: 'Another program uses the camera: close it, or bring the signed file.',
}

/** Null when it is stopped before. Throws where there is no camera. */
async function scan(
  video: HTMLVideoElement,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<string | null> {
  if (!navigator.mediaDevices) throw new Error('The camera works over https alone: bring the signed file.')
  const { decodeQR } = await import('qr/decode.js')
  const camera = await navigator.mediaDevices.getUserMedia({
    video: { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 960 } },
  })
  try {
    video.srcObject = camera
    await video.play()
    say('Hold the codes of the wallet before the camera.')
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!
    const readers = [new BbqrReader(), new UrReader()]
    for (; !signal.aborted; await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS))) {
      const text = codeIn(video, canvas, decodeQR)
      if (text === null) continue
      if (text.startsWith('cHNidP')) return text
      const reader = readers.find((each) => each.take(text))
      if (!reader) say('This code is not of a PSBT as BBQr or UR: choose one of these in the wallet.')
      else {
        say(`${reader.seen} of ${reader.count} codes`)
        const psbt = await reader.bytes().catch((cause: unknown) => {
          throw new Error('These codes are damaged: scan them again, or bring the signed file.', { cause })
        })
        if (psbt) return base64OfBytes(psbt)
      }
    }
    return null
  } finally {
    for (const track of camera.getTracks()) track.stop()
  }
}

/** The text of the code before the camera; null where the camera shows none. */
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
