/** Whether the first octets of content are those of its media type. Types without a signature fit any content. */

/** Octets at a position; several alternatives. */
interface Signature {
  readonly at?: number
  readonly starts: readonly (string | readonly number[])[]
}

const isoMedia: Signature = { at: 4, starts: ['ftyp'] }
const ogg: Signature = { starts: ['OggS'] }
const matroska: Signature = { starts: [[0x1a, 0x45, 0xdf, 0xa3]] }
const zip: Signature = { starts: ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'] }
const riff: Signature = { starts: ['RIFF'] }

/** All signatures of a type must fit. */
const signatures: Readonly<Record<string, readonly Signature[]>> = {
  'image/png': [{ starts: [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]] }],
  'image/jpeg': [{ starts: [[0xff, 0xd8, 0xff]] }],
  'image/gif': [{ starts: ['GIF87a', 'GIF89a'] }],
  'image/webp': [riff, { at: 8, starts: ['WEBP'] }],
  'image/avif': [isoMedia, { at: 8, starts: ['avif', 'avis', 'mif1', 'msf1', 'miaf'] }],
  'image/heic': [isoMedia],
  'image/bmp': [{ starts: ['BM'] }],
  'image/tiff': [{ starts: ['II*\0', 'MM\0*'] }],
  'image/x-icon': [{ starts: [[0, 0, 1, 0]] }],
  'image/vnd.microsoft.icon': [{ starts: [[0, 0, 1, 0]] }],
  'application/pdf': [{ starts: ['%PDF-'] }],
  'application/zip': [zip],
  'application/gzip': [{ starts: [[0x1f, 0x8b]] }],
  'audio/mpeg': [
    { starts: ['ID3', [0xff, 0xfb], [0xff, 0xfa], [0xff, 0xf3], [0xff, 0xf2], [0xff, 0xe3], [0xff, 0xe2]] },
  ],
  'audio/wav': [riff, { at: 8, starts: ['WAVE'] }],
  'audio/x-wav': [riff, { at: 8, starts: ['WAVE'] }],
  'audio/flac': [{ starts: ['fLaC'] }],
  'audio/ogg': [ogg],
  'audio/mp4': [isoMedia],
  'audio/webm': [matroska],
  'video/ogg': [ogg],
  'video/mp4': [isoMedia],
  'video/quicktime': [{ at: 4, starts: ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'] }],
  'video/webm': [matroska],
  'video/x-matroska': [matroska],
}

/** Whether the beginning of the content fits the type. */
export function fitsSignature(type: string, head: Uint8Array): boolean {
  const [essence = ''] = type.split(';')
  const expected = Object.hasOwn(signatures, essence) ? signatures[essence] : officeSignature(essence)
  return expected === undefined || expected.every((signature) => isAtPlace(signature, head))
}

/** Documents of office programs are ZIP archives. */
function officeSignature(essence: string): readonly Signature[] | undefined {
  const isZip = /^application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\./.test(essence)
  return isZip || essence === 'application/epub+zip' ? [zip] : undefined
}

function isAtPlace({ at = 0, starts }: Signature, head: Uint8Array): boolean {
  return starts.some((start) => {
    const octets = typeof start === 'string' ? Buffer.from(start, 'latin1') : Buffer.from(start)
    return octets.equals(head.subarray(at, at + octets.length))
  })
}
