/** Parts of a page that follow changes. */

import { focusedPlace, focusOnCell } from './lists.js'
import { announcePart, loadPage } from './pages.js'

/** Reloads this part of the page periodically while the page is visible, until the part is not live any more. */
export function keepCurrent(part) {
  const timer = setInterval(async () => {
    if (document.visibilityState !== 'visible') return
    const fresh = part.isConnected && (await reloadPart(part))
    if (!part.isConnected || (fresh && fresh.dataset.live === undefined)) clearInterval(timer)
  }, Number(part.dataset.live) * 1000)
}

/** The markup of parts as the service sent it. */
const sentMarkup = new WeakMap()

/** Returns the new part; undefined where there is none. A part that is the same is not replaced. */
async function reloadPart(part) {
  const { ok, page } = await loadPage(location.href)
  const fresh = ok && page.getElementById(part.id)
  // A selection or an edit would be lost.
  if (!fresh || part.querySelector('.pick input:checked, .editor')) return undefined
  if (fresh.innerHTML === sentMarkup.get(part)) return fresh
  sentMarkup.set(part, fresh.innerHTML)
  const restorePlace = rememberPlace(part)
  part.replaceChildren(...fresh.childNodes)
  announcePart(part)
  restorePlace()
  return fresh
}

/** Remembers the focus and how far tables are scrolled. Returns a function that restores both in the new content. */
function rememberPlace(part) {
  const cell = focusedPlace(part)
  const focused = part.contains(document.activeElement) && nameOfElement(document.activeElement)
  const tables = [...part.querySelectorAll('.scroll')].map((table) => [
    nameOfElement(table),
    table.scrollLeft,
  ])
  const findByName = (name) =>
    [...part.querySelectorAll(focusable)].find((one) => nameOfElement(one) === name)
  return () => {
    for (const [name, left] of tables) findByName(name)?.scrollTo({ left })
    if (cell) focusOnCell(part.querySelector('.list'), cell)
    else if (focused) findByName(focused)?.focus({ preventScroll: true })
  }
}

const focusable = 'a[href], button, input, select, summary, [tabindex]'

/** Distinguishes an element from others in its part, also after the part was replaced. */
function nameOfElement(element) {
  const attributes = ['id', 'name', 'href', 'aria-label'].map((name) => element.getAttribute(name))
  return [element.tagName, ...attributes].join(' ')
}

/** Reloads this part of the page when its items change. A hidden page holds no stream, nor does one that shows another. */
export function followChanges(part) {
  sentMarkup.set(part, part.innerHTML)
  let stream
  let timer
  const reload = () => {
    clearTimeout(timer)
    timer = setTimeout(() => reloadPart(part), 200)
  }
  const follow = () => {
    if (document.visibilityState !== 'visible' || !part.isConnected) {
      stream?.close()
      stream = undefined
    } else if (!stream) {
      stream = new EventSource(part.dataset.changes)
      // Changes before the stream began are found by reloading once it is open.
      for (const kind of ['open', 'created', 'updated', 'deleted', 'reset']) {
        stream.addEventListener(kind, reload)
      }
    }
  }
  document.addEventListener('visibilitychange', follow)
  document.addEventListener('shown', follow)
  follow()
}
