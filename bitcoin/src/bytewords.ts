import { concatBytes, equalBytes } from './bytes.ts'

/** Words of Bytewords (BCR-2020-012). The minimal form uses the first and last letter of a word. */
const WORDS =
  'able acid also apex aqua arch atom aunt away axis back bald barn belt beta bias blue body brag brew bulb buzz calm cash cats chef city claw code cola cook cost crux curl cusp cyan dark data days deli dice diet door down draw drop drum dull duty each easy echo edge epic even exam exit eyes fact fair fern figs film fish fizz flap flew flux foxy free frog fuel fund gala game gear gems gift girl glow good gray grim guru gush gyro half hang hard hawk heat help high hill holy hope horn huts iced idea idle inch inky into iris iron item jade jazz join jolt jowl judo jugs jump junk jury keep keno kept keys kick kiln king kite kiwi knob lamb lava lazy leaf legs liar limp lion list logo loud love luau luck lung main many math maze memo menu meow mild mint miss monk nail navy need news next noon note numb obey oboe omit onyx open oval owls paid part peck play plus poem pool pose puff puma purr quad quiz race ramp real redo rich road rock roof ruby ruin runs rust safe saga scar sets silk skew slot soap solo song stub surf swan taco task taxi tent tied time tiny toil tomb toys trip tuna twin ugly undo unit urge user vast very veto vial vibe view visa void vows wall wand warm wasp wave waxy webs what when whiz wolf work yank yawn yell yoga yurt zaps zero zest zinc zone zoom'
const PAIRS = WORDS.split(' ').map((word) => `${word[0]}${word[3]}`)
const BYTE_OF = new Map(PAIRS.map((pair, byte) => [pair, byte]))
const CHECKSUM_LENGTH = 4

/** Computes CRC-32 (ISO 3309). */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

export function uint32Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** Encodes bytes as minimal Bytewords with a checksum. */
export const bytewordsOf = (bytes: Uint8Array): string =>
  [...bytes, ...uint32Bytes(crc32(bytes))].map((byte) => PAIRS[byte]).join('')

/** Decodes minimal Bytewords. Returns null if a word or the checksum is wrong. */
export function bytesOfBytewords(text: string): Uint8Array | null {
  const values = (text.toLowerCase().match(/../g) ?? []).map((pair) => BYTE_OF.get(pair) ?? -1)
  if (text.length % 2 !== 0 || values.length <= CHECKSUM_LENGTH || values.includes(-1)) return null
  const bytes = Uint8Array.from(values)
  const content = bytes.subarray(0, -CHECKSUM_LENGTH)
  const isWhole = equalBytes(bytes.subarray(-CHECKSUM_LENGTH), uint32Bytes(crc32(content)))
  return isWhole ? concatBytes(content) : null
}
