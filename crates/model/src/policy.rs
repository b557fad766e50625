//! What a run was begun with: a policy says each of its settings once, with what holds where nobody says anything.

/// A struct whose fields have their defaults beside them. What a stored one does not say is the default.
macro_rules! policy {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$words:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[$about])*
        #[serde(default)]
        pub struct $name {
            $($(#[$words])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

pub(crate) use policy;
