/** Passkeys: registering one, and signing in with one. */

/** Registers a passkey with the authenticator, and sends its response with the form. */
export function registerPasskey(form) {
  sendPasskey(form, async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      JSON.parse(form.dataset.passkeyOptions),
    )
    return navigator.credentials.create({ publicKey })
  })
}

/** Asks the authenticator for a passkey, and signs in with its response. */
export function usePasskey(form) {
  sendPasskey(form, async () => {
    const response = await fetch(form.dataset.passkey, { headers: { accept: 'application/json' } })
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await response.json())
    return navigator.credentials.get({ publicKey })
  })
}

/** Shows the button where the browser has passkeys. The person may cancel, and try again. */
function sendPasskey(form, obtain) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return
  const button = form.querySelector('button')
  button.hidden = false
  button.addEventListener('click', async (event) => {
    event.preventDefault()
    const passkey = await obtain().catch(() => undefined)
    if (!passkey) return
    form.elements.response.value = JSON.stringify(toMembers(passkey))
    form.submit()
  })
}

/**
 * The members of a credential, as `toJSON()` has them. The objects of some password managers have no `toJSON()` of their
 * own, and that of the browser throws for them.
 */
function toMembers(passkey) {
  try {
    return passkey.toJSON()
  } catch {
    const { id, type, response } = passkey
    const members = {
      clientDataJSON: response.clientDataJSON,
      authenticatorData: response.authenticatorData ?? response.getAuthenticatorData(),
      signature: response.signature,
      publicKey: response.getPublicKey?.(),
    }
    const texts = Object.entries(members).map(([name, octets]) => [name, octets && toBase64Url(octets)])
    const publicKeyAlgorithm = response.getPublicKeyAlgorithm?.()
    return { id, rawId: id, type, response: { ...Object.fromEntries(texts), publicKeyAlgorithm } }
  }
}

function toBase64Url(octets) {
  const text = btoa(String.fromCharCode(...new Uint8Array(octets)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
