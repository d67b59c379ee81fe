//! Cooperative matrices: tiles that a subgroup holds together, and the shapes in which GPUs multiply
//! them.

use std::fmt;

use crate::builtin::Spelling;
use crate::expr::{Expr, ExprKind};
use crate::infer::Typed;
use crate::item::Function;
use crate::types::{Scalar, Type};
use crate::walk;

/// What a matrix is in a product A · B + C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// The summand, and the result.
    C,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::C];

    /// The type's name in Rust.
    pub fn rust(self) -> &'static str {
        match self {
            Self::A => "MatrixA",
            Self::B => "MatrixB",
            Self::C => "MatrixC",
        }
    }

    /// The role of the type of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.rust() == name)
    }

    /// WGSL's letter for it.
    pub fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }
}

/// What a builtin does with matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOp {
    /// A matrix of zeros.
    Zero,
    /// Reads one.
    Load {
        /// Whether rows lie in a row in memory, rather than columns.
        rows: bool,
    },
    /// Writes one.
    Store {
        /// Whether rows lie in a row in memory, rather than columns.
        rows: bool,
    },
    /// A · B + C
    MultiplyAdd,
}

impl MatrixOp {
    /// WGSL's function for it; none for zeros, which are the type's constructor.
    pub fn wgsl(self) -> &'static str {
        match self {
            Self::Zero => "",
            Self::Load { rows: false } => "coopLoad",
            Self::Load { rows: true } => "coopLoadT",
            Self::Store { rows: false } => "coopStore",
            Self::Store { rows: true } => "coopStoreT",
            Self::MultiplyAdd => "coopMultiplyAdd",
        }
    }
}

/// Matrices of a size that GPUs multiply: the scalars of A and B, and of C.
type Product = (u32, Scalar, Scalar);

/// Every product that a GPU is known to have and WGSL has types for.
const PRODUCTS: [Product; 5] = [
    (16, Scalar::F16, Scalar::F32),
    (16, Scalar::F16, Scalar::F16),
    (8, Scalar::F16, Scalar::F32),
    (8, Scalar::F16, Scalar::F16),
    (8, Scalar::F32, Scalar::F32),
];

/// Whether a GPU is known that has matrices of such a type.
pub fn exists(role: Role, size: u32, scalar: Scalar) -> bool {
    PRODUCTS.iter().any(|(of, input, output)| {
        let found = if role == Role::C { output } else { input };
        *of == size && *found == scalar
    })
}

/// Whether a GPU is known that multiplies matrices of such types.
pub fn multiplies(size: u32, input: Scalar, output: Scalar) -> bool {
    PRODUCTS.contains(&(size, input, output))
}

/// The products in words.
pub fn products() -> String {
    let all = PRODUCTS.iter().map(|(size, input, output)| {
        let (input, output) = (input.name(), output.name());
        format!("{size}×{size} of `{input}` summed in `{output}`")
    });
    all.collect::<Vec<_>>().join(", ")
}

/// A product that a kernel makes; or, where it only moves matrices, the types of those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows and columns of each matrix.
    pub size: u32,
    /// The scalar of A and B; none where no product asks for one.
    pub input: Option<Scalar>,
    /// The scalar of C; none where no product asks for one.
    pub output: Option<Scalar>,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            size,
            input,
            output,
        } = self;
        let name = |scalar: &Option<Scalar>| scalar.map_or("any", Scalar::name);
        write!(
            f,
            "{size}x{size}x{size} {} -> {}",
            name(input),
            name(output)
        )
    }
}

/// The shapes that a kernel cannot do without, each once, in the order of its text: its products,
/// and the types of matrices that are in none of them.
pub fn shapes(typed: &Typed) -> Vec<Shape> {
    let mut products: Vec<Shape> = Vec::new();
    let mut types: Vec<(Role, u32, Scalar)> = Vec::new();
    let mut visit = |expr: &Expr| {
        if let Type::Matrix(elem, role, size) = &expr.ty
            && let Some(scalar) = elem.scalar()
            && !types.contains(&(*role, *size, scalar))
        {
            types.push((*role, *size, scalar));
        }
        if let ExprKind::Builtin(builtin, args) = &expr.kind
            && builtin.wgsl == Spelling::Matrix(MatrixOp::MultiplyAdd)
            && let [Type::Matrix(input, _, size), _, Type::Matrix(output, ..)] =
                &args.iter().map(|arg| arg.ty.clone()).collect::<Vec<_>>()[..]
        {
            let shape = Shape {
                size: *size,
                input: input.scalar(),
                output: output.scalar(),
            };
            if !products.contains(&shape) {
                products.push(shape);
            }
        }
    };
    let instances = typed.instances.iter().map(|instance| &instance.function);
    for function in typed.kernel.iter().chain(instances) {
        walk::block(&function.body, &mut visit);
    }
    for (role, size, scalar) in types {
        let is_c = role == Role::C;
        let is_in = |shape: &Shape| {
            let found = if is_c { shape.output } else { shape.input };
            shape.size == size && found == Some(scalar)
        };
        if !products.iter().any(is_in) {
            products.push(Shape {
                size,
                input: Some(scalar).filter(|_| !is_c),
                output: Some(scalar).filter(|_| is_c),
            });
        }
    }
    products
}

/// Whether a function has matrices.
pub fn in_function(function: &Function) -> bool {
    let mut found = false;
    walk::block(&function.body, &mut |expr| {
        found |= expr.ty.has_matrix();
    });
    found
}
