/** Finds text on HTML pages that was not translated. */

/** Around the translations of the pseudo-language. */
const [open, close] = ['⟦', '⟧']

/** A dictionary in which each text stands between brackets. */
export function pseudoDictionary(texts: Iterable<string>): Readonly<Record<string, string>> {
  return Object.fromEntries(Iterator.from(texts).map((text) => [text, `${open}${text}${close}`]))
}

/** The texts with Latin letters outside of translations, code, times and parts in another language. */
export function untranslatedTexts(page: string): readonly string[] {
  const readable = page
    .replace(/^[\s\S]*?<body>/, (head) => /<title>[\s\S]*?<\/title>/.exec(head)?.[0] ?? '')
    .replace(/<(main|span)[^>]* lang="en"[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replace(/<(code|pre|time|script)\b[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replace(/<a [^>]* type="[^"]*">[A-Z-]+<\/a>/g, ' ')
  const spoken = [...readable.matchAll(/ (?:aria-label|placeholder|alt)="([^"]*)"/g)].map(([, text]) => text)
  const shown = readable.replace(/<[^>]*>/g, '\n').split('\n')
  return [...spoken, ...shown]
    .map((text) => withoutTranslations(String(text)).trim())
    .filter((text) => /\p{Script=Latin}/u.test(text) && !isData(text))
}

/** Translations may have others as values. Sizes such as `1.2 kB` are the same in all languages. */
function withoutTranslations(text: string): string {
  const shorter = text.replace(/⟦[^⟦⟧]*⟧|\b[\d.,]+ [kMGT]?B\b/g, '')
  return shorter === text ? text : withoutTranslations(shorter)
}

/** Logins, actors, scopes, events, media types, identities and names of programs. */
function isData(text: string): boolean {
  return (
    /^(curl|fetch|first start|API|Client|true|false|[0-9a-f-]{36}|…[0-9a-f]{8})$/.test(text) ||
    /^[\w*.-]+[@:./][\w*./+-]*$/.test(text)
  )
}
