/** Positions of the change log in responses differ in each of them, as Date does. */

/**
 * A token of a position, also within an encoded URI, with or without the digest of its reader. Versions of items and events
 * have tokens as long as one without.
 */
const position =
  /(?:(?<=%3D)|(?<![\w-]|history\/|(?:version|event)(?:":"|>)))[\w-]{22}(?:[\w-]{8})?(?![\w.-])/g

/** The text with each position masked. */
export function maskPositions(text: string): string {
  return text.replaceAll(position, '(position)')
}

/** A token of a version or an event, which encrypts the number of all versions, or entries of the log, before it. */
const version = /(?<=history\/|(?:version|event)(?:":"|>))[\w-]{22}(?![\w.-])/g

/** The text with each version and event replaced by what is given for its token. */
export function replaceVersions(text: string, nameOf: (token: string) => string): string {
  return text.replaceAll(version, nameOf)
}

/** The positions in the text. A part of a secret may look like one. */
export function positionsIn(text: string): readonly string[] {
  return [...maskSecrets(text).matchAll(position)].map(([token]) => token)
}

/**
 * The text with the secrets of new tokens and webhooks masked, which differ in each response, and the encrypted cookie of
 * a browser that asks for a link, whose length is kept.
 */
export function maskSecrets(text: string): string {
  return text
    .replaceAll(/rw_[0-9A-Za-z]{49}/g, 'rw_…')
    .replaceAll(/whsec_[0-9A-Za-z+/]{43}=/g, 'whsec_…')
    .replaceAll(/(?<=restwell-link=)[\w-]+/g, (value) => `(${value.length})`)
}
