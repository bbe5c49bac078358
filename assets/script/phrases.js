/** Texts in the language of the page. A page in English has none: the texts of the scripts are English. */

const pageTexts = JSON.parse(document.getElementById('texts')?.textContent ?? '{}')

/** The text in the language of the page. The service finds texts by these calls, so the text is a literal. */
export function phrase(english, ...values) {
  const text = pageTexts[english] ?? english
  return text.replace(/\{([1-9])\}/g, (_, number) => values[number - 1])
}

/** The locale of numbers and times: that of the browser if it has the language of the page. */
export function pageLocale() {
  const { lang } = document.documentElement
  return navigator.language.split('-')[0] === lang.split('-')[0] ? navigator.language : lang
}
