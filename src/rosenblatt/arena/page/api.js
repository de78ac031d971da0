// Requests to the server that this page came from.

/** Ask for something; what is refused is thrown as an error with the server's sentence. */
export async function ask(verb, values) {
  const response = await fetch(`api/${verb}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(values),
  });
  if (!response.ok) {
    const said = await response.json().catch(() => ({ error: "The server did not answer." }));
    throw new Error(said.error);
  }
  if (response.headers.get("Content-Type").startsWith("application/json")) return response.json();
  const side = Number(response.headers.get("X-Side"));
  return { side, cells: new Float32Array(await response.arrayBuffer()) };
}
